export default function ({ data, parentElement, setStateValue }) {
  const find = name => parentElement.querySelector(name);
  const range = find('input'), cards = find('.s-cards');
  const percent = step => 100 * step / (data.steps.length - 1) + '%';
  const show = () => {
    // The budget ends the way of the thumb; a thumb that stands above it may stay there.
    const isAbove = Number(range.value) > data.last && Number(range.value) !== data.at;
    if (isAbove) range.value = data.last;
    const at = Number(range.value), said = data.readouts[at];
    find('.s-at').textContent = data.steps[at];
    find('.s-left').textContent = data.left[at];
    range.setAttribute('aria-valuetext',
      ['epsilon ' + data.steps[at], data.left[at]].filter(Boolean).join(', '));
    range.style.setProperty('--s-at', percent(at));
    range.style.setProperty('--s-last', percent(data.last));
    find('.s-says').textContent = data.sentences[at];
    data.labels.forEach((label, i) => {
      cards.children[i].children[0].textContent = label;
      cards.children[i].children[1].textContent = said[i];
    });
  };
  find('.s-name').textContent = data.name;
  while (cards.children.length > data.labels.length) cards.lastChild.remove();
  while (cards.children.length < data.labels.length) {
    const card = document.createElement('div');
    card.append(document.createElement('dt'), document.createElement('dd'));
    cards.append(card);
  }
  const moved = range.dataset.moved;  // sent to the server, which has not answered yet
  if (moved === data.steps[data.at]) delete range.dataset.moved;
  const kept = data.steps.indexOf(range.dataset.moved);
  range.max = data.steps.length - 1;
  range.value = kept >= 0 ? kept : data.at;
  range.oninput = show;
  range.onchange = () => {
    range.dataset.moved = data.steps[range.value];
    setStateValue('epsilon', data.steps[range.value]);
  };
  show();
}
