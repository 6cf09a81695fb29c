import { type Mask, maskOf } from '../../../domain/variables/mask.ts';
import type { BuildBody } from '../../../protocol/build.ts';

const isSecret = /token|secret|passw|auth|key|credential/i;

/** Masks what no reader of a build may see: secrets of the service, of the machine's own variables, and of the host of its repository. */
export function maskOfBuild(
  { variables = {}, secrets = [], masked = [], source }: BuildBody,
  ofMachine: Readonly<Record<string, string>>,
): Mask {
  const named = Object.entries(ofMachine).flatMap(([name, value]) =>
    isSecret.test(name) ? [value, ...passwordIn(value)] : passwordIn(value),
  );
  const given = secrets.flatMap((name) => {
    const value = variables[name];
    return value === undefined ? [] : [value, ...passwordIn(value)];
  });
  const ofGit = source.kind === 'git' ? [source.password] : [];
  return maskOf([...named, ...given, ...masked, ...ofGit]);
}

/** An address says its password in the middle. */
function passwordIn(value: string): string[] {
  if (!value.includes('@') || !URL.canParse(value)) return [];
  const { password } = new URL(value);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
