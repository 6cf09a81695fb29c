/** The fault of a name, as a sentence; undefined if it is good. */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'Enter a name.';
  if ([...name].length > 100) return 'This name is too long; use at most 100 characters.';
  // Those that join letters belong to names; the rest of their kind hides or turns text around.
  if (/(?![\u200c\u200d])\p{C}/u.test(name)) return 'This name has characters that cannot be shown; leave them out.';
  return undefined;
}

export function emailFault(email: string): string | undefined {
  if (email === '') return 'Enter your e-mail address.';
  if (email.length > 254 || !/^[^\s@<>()",;:\\[\]\p{C}]{1,64}@[^\s@<>()",;:\\[\]\p{C}]+\.?[^\s@.]+$/u.test(email)) {
    return 'This is not an e-mail address; enter one like ada@example.com.';
  }
  return undefined;
}

/** As it is kept: spaces around it are left out, and the same letters are the same text. */
export function tidy(text: string): string {
  return text.normalize('NFC').trim();
}
