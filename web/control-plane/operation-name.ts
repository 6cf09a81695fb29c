/** An operation of `trpc`, one that reads or one that changes. */
type Named = { pathKey(): readonly unknown[] } | { mutationKey(): readonly unknown[] };

/** `teams.list` of `trpc.teams.list`. */
export function nameOf(operation: Named): string {
  const key = 'pathKey' in operation ? operation.pathKey() : operation.mutationKey();
  return (key[0] as readonly string[]).join('.');
}
