const MENU = '[data-testid=stMainMenu] button';
const item = theme => `[data-testid="stMainMenuItem-theme-${theme}"]`;
const app = () => document.querySelector('[data-testid=stApp]');
const dark = () => getComputedStyle(app()).colorScheme === 'dark';

// The choice holds for every page from which the app may be loaded the next time.
function remember(theme) {
  const pages = [...document.querySelectorAll('[data-testid=stSidebarNav] a')];
  for (const path of ['/', ...pages.map(link => new URL(link.href).pathname)])
    localStorage.setItem(`stActiveTheme-${path}-v2`, JSON.stringify(theme));
}

async function until(happened) {
  for (let wait = 0; wait < 40 && !happened(); wait += 1)
    await new Promise(resolve => setTimeout(resolve, 25));
}

// By Streamlit's own menu, which is opened for it and closed again.
async function choose(theme, button) {
  document.querySelector(MENU)?.click();
  await until(() => document.querySelector(item(theme)));
  document.querySelector(item(theme))?.click();
  await until(() => dark() === (theme === 'Dark'));
  if (document.querySelector(item(theme))) document.querySelector(MENU)?.click();
  await until(() => !document.querySelector(item(theme)));
  try { remember(theme); } catch { /* the browser stores nothing */ }
  label(button);
  button.focus();
}

function label(button) {
  const other = dark() ? 'Light' : 'Dark';
  if (button.textContent === other) return;
  button.textContent = other;
  button.setAttribute('aria-label', `${other} colours`);
  button.title = `Change to ${other.toLowerCase()} colours`;
}

export default function ({ parentElement }) {
  let button = parentElement.querySelector('button.synth-theme');
  if (!button) {
    button = document.createElement('button');
    button.type = 'button';
    button.className = 'synth-theme';
    button.addEventListener('click', () => choose(dark() ? 'Light' : 'Dark', button));
    parentElement.append(button);
    // The colours may also be changed in the menu, or by the machine.
    new MutationObserver(() => label(button)).observe(app(), { attributeFilter: ['class'] });
  }
  label(button);
}
