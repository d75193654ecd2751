const known = /Streamlit server|connected to the internet|Connection (timed out|failed)|Network/;
function reword(data) {
  for (const dialog of document.querySelectorAll('[role=dialog]')) {
    if (!/^Connection error/.test(dialog.innerText.trim())) continue;
    const walker = document.createTreeWalker(dialog, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    const said = texts.filter(text => text.data.trim());
    said.forEach(text => {
      if (text.data.trim() === 'Connection error') text.data = data.title;
      else if (known.test(text.data) && !said.some(one => one.data === data.says))
        text.data = data.says;
      else if (text.data !== data.says && text.data !== data.title) text.data = '';
    });
  }
  for (const alert of document.querySelectorAll('[role=alert]'))
    if (/^Error: AxiosError: .* 413$/.test(alert.textContent))
      alert.childNodes.forEach((text, at) => { text.data = at ? '' : data.refused; });
}
export default function ({ data }) {
  if (window.synthConnection) return;
  window.synthConnection = new MutationObserver(() => reword(data));
  window.synthConnection.observe(document.body, {childList: true, subtree: true});
}
