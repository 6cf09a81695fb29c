/** An actor's id is `<kind>/<id of its row>`. Which kinds there are says workflows/descriptors.ts. */
export type ActorId = `${string}/${string}`;

export function actorId(kind: string, rowId: string): ActorId {
  return `${kind}/${rowId}`;
}

export function parseActorId(id: string): { kind: string; rowId: string } | undefined {
  const [kind, rowId, ...rest] = id.split('/');
  if (kind === undefined || kind === '' || rowId === undefined || rowId === '' || rest.length > 0) return undefined;
  return { kind, rowId };
}
