// The part of the address after # is sent to no server: it is put into the form here.
const code = location.hash.slice(1);
const field = document.querySelector('input[name=code]');
if (code !== '' && field instanceof HTMLInputElement) {
  field.value = code;
  history.replaceState(null, '', location.pathname);
}
