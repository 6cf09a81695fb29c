/** Untrusted input: anybody may have typed the query of an address. */
export type Search = Record<string, unknown>;

/** A false flag is left out of the address. */
export function flag<Name extends string>(name: Name, value: unknown): { [K in Name]?: true } {
  return (value === true || value === 'true' ? { [name]: true } : {}) as { [K in Name]?: true };
}

export function text<Name extends string>(name: Name, value: unknown): { [K in Name]?: string } {
  const given = typeof value === 'number' ? String(value) : value;
  return (typeof given === 'string' && given !== '' ? { [name]: given.slice(0, 200) } : {}) as { [K in Name]?: string };
}

export function chosen<Name extends string, const Value extends string>(
  name: Name,
  value: unknown,
  values: readonly Value[],
): { [K in Name]?: Value } {
  return (values.some((one) => one === value) ? { [name]: value } : {}) as { [K in Name]?: Value };
}
