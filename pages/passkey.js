// Passkeys need script. Their forms are hidden, and are shown where the browser can do it.
if (window.PublicKeyCredential !== undefined) {
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void answer(form);
    });
  }
  for (const other of document.querySelectorAll('[data-without-passkey]')) other.hidden = true;
}

async function answer(form) {
  const button = form.querySelector('button');
  const fault = form.querySelector('[role=alert]');
  button.disabled = true;
  fault.hidden = true;
  try {
    const options = JSON.parse(form.dataset.options);
    const credential = form.dataset.passkey === 'create' ? await make(options) : await use(options);
    form.elements.answer.value = JSON.stringify(credential);
    form.submit();
  } catch (error) {
    fault.textContent = sentence(error);
    fault.hidden = false;
    button.disabled = false;
  }
}

async function make(options) {
  const made = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: bytes(options.challenge),
      user: { ...options.user, id: bytes(options.user.id) },
      excludeCredentials: options.excludeCredentials.map(known),
    },
  });
  const { clientDataJSON, attestationObject } = made.response;
  return {
    ...written(made),
    response: {
      clientDataJSON: text(clientDataJSON),
      attestationObject: text(attestationObject),
      transports: made.response.getTransports?.() ?? [],
    },
  };
}

async function use(options) {
  const used = await navigator.credentials.get({
    publicKey: {
      ...options,
      challenge: bytes(options.challenge),
      allowCredentials: (options.allowCredentials ?? []).map(known),
    },
  });
  const { clientDataJSON, authenticatorData, signature, userHandle } = used.response;
  return {
    ...written(used),
    response: {
      clientDataJSON: text(clientDataJSON),
      authenticatorData: text(authenticatorData),
      signature: text(signature),
      ...(userHandle === null ? {} : { userHandle: text(userHandle) }),
    },
  };
}

function written(credential) {
  return { id: credential.id, rawId: text(credential.rawId), type: credential.type, clientExtensionResults: {} };
}

function known(credential) {
  return { ...credential, id: bytes(credential.id) };
}

function bytes(base64url) {
  return Uint8Array.from(atob(base64url.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0));
}

function text(buffer) {
  return btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');
}

function sentence(error) {
  if (error.name === 'InvalidStateError') return 'This device has a passkey for your account already.';
  if (error.name === 'NotAllowedError') return 'No passkey was used; try again, or continue without one.';
  return 'The passkey did not work here; try again, or continue without one.';
}
