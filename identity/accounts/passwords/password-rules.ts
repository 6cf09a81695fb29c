const shortest = 12;
const longest = 256;

/** The fault of a new password, as a sentence; undefined if it is good. */
export function passwordFault(password: string, person: { name: string; email: string }): string | undefined {
  const text = password.normalize('NFC');
  const length = [...text].length;
  if (length < shortest) return `This password is too short; choose one of at least ${shortest} characters.`;
  if (length > longest) return `This password is too long; choose one of at most ${longest} characters.`;
  if (new Set(text).size < 4) return 'This password repeats few characters over and over; choose a more varied one.';
  const plain = simple(text);
  const { name, email } = person;
  const [local = ''] = email.split('@');
  if ([email, local, local + local, name, name + name].some((taken) => simple(taken) === plain)) {
    return 'This password is your name or e-mail address; choose something that others do not know.';
  }
  return undefined;
}

function simple(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, '');
}
