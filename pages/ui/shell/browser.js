function secret() {
  try {
    if (!localStorage.synth_secret) {
      const bytes = crypto.getRandomValues(new Uint8Array(24));
      localStorage.synth_secret = Array.from(bytes, b => b.toString(16).padStart(2, '0')).join('');
    }
    return localStorage.synth_secret;
  } catch { return ''; }  // the browser stores nothing
}
export default function ({ setStateValue }) { setStateValue('secret', secret()); }
