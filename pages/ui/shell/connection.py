"""Our own messages if the server does not answer, or refuses a file.

Streamlit's dialog speaks of itself and of the internet, and its uploader shows a status code. Their
texts have no setting, so this script replaces them. A page that never loaded has no script and
shows the browser's message.
"""

import streamlit as st

TITLE = "Disconnected"
SAYS = (
    "Synth does not answer. What you declared and chose is saved where it runs, and a release that "
    "was at work goes on, or is found again. This page connects by itself as soon as it can; if "
    "Synth was stopped, start it again."
)

REFUSED = (
    "Refused: the file is larger than this server's limit, or your uploads (or those of all users) "
    "are. Close other tabs of Synth and wait two minutes, or ask who runs the server."
)

JS = """
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
"""

_mount = st.components.v2.component("connection", js=JS)


def connection() -> None:
    _mount(key="connection", data={"title": TITLE, "says": SAYS, "refused": REFUSED})
