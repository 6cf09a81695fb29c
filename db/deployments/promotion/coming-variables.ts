import { randomBytes } from 'node:crypto';
import type { VariableValue } from '../../../domain/change-sets/staging.ts';
import { Problem } from '../../../domain/problems.ts';

/** A value that somebody gives with a promotion; one of `value`, `generate` and `copy`. */
export interface GivenVariable {
  key: string;
  value?: string | undefined;
  /** By default that of a generated one is. */
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

interface Destination {
  /** The target lacks the service. */
  adds: boolean;
  /** Its own variables, applied or staged. */
  variables: ReadonlyMap<string, Pick<VariableValue, 'secret'>>;
}

/**
 * The variables that a service gets in a target. One that lacks it gets plain ones as they are, and a secret only where its value is given,
 * generated, or expressly copied; one that has it gets what is given, and nothing by itself. Secrets of production are never copied out of
 * it, and what is secret on either side stays so.
 */
export function comingVariables(
  origin: Origin,
  { adds, variables }: Destination,
  given: readonly GivenVariable[],
): ComingVariable[] {
  const wishes = new Map(given.map((one, index) => [one.key, { ...one, index }]));
  const keys = new Set([...(adds ? origin.variables.keys() : []), ...origin.keys, ...wishes.keys()]);
  return [...keys].toSorted().map((key) => {
    const [there, here, wish] = [origin.variables.get(key), variables.get(key), wishes.get(key)];
    const secret = there?.secret === true || here?.secret === true;
    if (wish !== undefined) {
      const variable = givenValue(origin, wish, there);
      return { key, variable: { ...variable, secret: variable.secret || secret }, secret, from: 'given' };
    }
    if (here !== undefined) return { key, secret, from: 'there' };
    if (!adds || there === undefined || secret) return { key, secret, from: 'nowhere' };
    return { key, variable: there, secret, from: 'copied' };
  });
}

/** 48 bytes, in signs that stand in addresses and shells as they are. */
const generated = (): string => randomBytes(48).toString('base64url');

function givenValue(
  { environment, production }: Origin,
  { key, value, secret, generate, copy, index }: GivenVariable & { index: number },
  there: VariableValue | undefined,
): VariableValue {
  const buildTime = there?.buildTime ?? 'no';
  if (generate === true) return { value: generated(), secret: secret ?? true, buildTime };
  if (copy !== true) return { value: value ?? '', secret: secret === true, buildTime };
  const refuse = (message: string) =>
    new Problem('invalid-field', `The variable ${key} ${message}.`, {
      errors: [{ location: `body.variables[${index}].copy`, message, value: true }],
    });
  if (there === undefined) throw refuse(`has no value in "${environment}": give one`);
  if (there.secret && production) throw refuse(`is a secret of production, and none of these is copied: give one`);
  return there;
}
