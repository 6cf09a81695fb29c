/** Why a replay ended early: the code did something else, or it threw. */
export interface Mismatch {
  message: string;
  threw: boolean;
}

const longest = 300;

/** The sentence in what the SDK says, which wraps it in the words of its native half. */
export function plainMismatch(told: string): Mismatch {
  const details = told.replace(/^.*?Details: /s, '');
  const [, quoted] = /Failure \{ message: "((?:[^"\\]|\\.)*)"/.exec(details) ?? [];
  const message = quoted === 'Encoded failure' ? encodedMessage(details) : (quoted ?? details);
  const plain = message.replace(/^\[TMPRL\d+\] /, '').replaceAll('\\"', '"');
  const cut = plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
  return { message: cut, threw: quoted !== undefined && !plain.startsWith('Nondeterminism error') };
}

/** The native half shows the beginning of what our failure converter has written. */
function encodedMessage(details: string): string {
  const [, begin = ''] = /encoded_attributes: Some\(\[([A-Za-z0-9+/=]+)/.exec(details) ?? [];
  const text = Buffer.from(begin, 'base64').toString('utf8');
  return /"message":"((?:[^"\\]|\\.)*)/.exec(text)?.[1] ?? 'an error of the code';
}
