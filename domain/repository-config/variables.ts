import { referencesOf } from '../references/names.ts';

const name = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;
const nameFault = 'must be a name of letters, digits and _, without a digit at its beginning';

/** Variables beneath those of the service. Their values are read by everybody who reads the repository. */
export function envFault(key: string, value: string): string | undefined {
  if (!name.test(key)) return nameFault;
  if (key === 'PORT') return 'is set by Ballast: give the process its port';
  if (key === '__proto__') return 'is a name that is not allowed';
  if (referencesOf(value) !== undefined)
    return 'has a reference (${{…}}), which is not resolved in a file: set it as a variable of the service';
  return undefined;
}

export function argumentFault(key: string): string | undefined {
  if (!name.test(key)) return nameFault;
  return key === '__proto__' ? 'is a name that is not allowed' : undefined;
}
