import { randomBytes } from 'node:crypto';
import type { VariableValue } from '../../../domain/change-sets/staging.ts';
import { Problem } from '../../../domain/problems.ts';

/** A value that somebody gives with a promotion; one of `value`, `generate` and `copy`. */
export interface GivenVariable {
  key: string;
  value?: string | undefined;
  /** By default as it is where the release serves, or of a generated one yes. */
  secret?: boolean | undefined;
  /** Ballast makes one that nobody has seen. */
  generate?: boolean | undefined;
  /** The value of the environment that it comes from, secret ones too. */
  copy?: boolean | undefined;
}

/** A variable of the release, and how the target comes by its value. */
export interface ComingVariable {
  key: string;
  /** Absent where its value has to be given. */
  variable?: VariableValue;
  secret: boolean;
  /** `there`: the target has it, applied or staged. */
  from: 'given' | 'copied' | 'there' | 'nowhere';
}

interface Origin {
  /** The name of the environment. */
  environment: string;
  production: boolean;
  /** As they are applied where the release serves. */
  variables: ReadonlyMap<string, VariableValue>;
  /** The keys of the release: some may have been unset since. */
  keys: readonly string[];
}

/**
 * The variables that a service gets in an environment which lacks it: plain ones come along, a secret only where its value is given,
 * generated, or expressly copied. Secrets of production are never copied out of it.
 */
export function comingVariables(
  origin: Origin,
  given: readonly GivenVariable[],
  isThere: (key: string) => boolean,
): ComingVariable[] {
  const wishes = new Map(given.map((one) => [one.key, one]));
  const keys = new Set([...origin.variables.keys(), ...origin.keys, ...wishes.keys()]);
  return [...keys].toSorted().map((key) => {
    const there = origin.variables.get(key);
    const secret = there?.secret ?? wishes.get(key)?.secret ?? false;
    const wish = wishes.get(key);
    if (wish !== undefined) {
      const variable = givenValue(origin, wish, given.indexOf(wish), there);
      return { key, variable, secret: variable.secret, from: 'given' };
    }
    if (isThere(key)) return { key, secret, from: 'there' };
    if (there === undefined || there.secret) return { key, secret, from: 'nowhere' };
    return { key, variable: there, secret, from: 'copied' };
  });
}

/** 48 bytes, in signs that stand in addresses and shells as they are. */
const generated = (): string => randomBytes(48).toString('base64url');

function givenValue(
  { environment, production }: Origin,
  { key, value, secret, generate, copy }: GivenVariable,
  index: number,
  there: VariableValue | undefined,
): VariableValue {
  const buildTime = there?.buildTime ?? 'no';
  if (generate === true) return { value: generated(), secret: secret ?? there?.secret ?? true, buildTime };
  if (copy !== true) return { value: value ?? '', secret: there?.secret === true || secret === true, buildTime };
  const refuse = (message: string) =>
    new Problem('invalid-field', `The variable ${key} ${message}.`, {
      errors: [{ location: `body.variables[${index}].copy`, message, value: true }],
    });
  if (there === undefined) throw refuse(`has no value in "${environment}": give one`);
  if (there.secret && production) throw refuse(`is a secret of production, and none of these is copied: give one`);
  return there;
}
