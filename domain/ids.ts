const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether it could be the id of anything: PostgreSQL refuses to compare an id with the rest. */
export function isId(text: string): boolean {
  return uuid.test(text);
}
