// The button of the next step; if it is off, the sentence below it says why.
function go(event, data) {
  event.preventDefault();
  const place = document.querySelector(`.st-key-${data.place}`);
  if (!place) return;
  const button = [...place.querySelectorAll('button')].find(found => !found.disabled);
  if (!button) place.tabIndex = -1;
  (button ?? place).focus();
}

export default function ({ data, parentElement }) {
  let link = parentElement.querySelector('a.synth-skip');
  if (!link) {
    link = document.createElement('a');
    link.className = 'synth-skip';
    link.href = '#next';
    parentElement.append(link);
  }
  link.textContent = data.label;
  link.onclick = event => go(event, data);
}
