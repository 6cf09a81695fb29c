/** The groups of files that import each other, directly or through others (Tarjan's strongly connected components). */
export function circles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];

  /** Answers the earliest file of the walk that can be reached from this one and is still open. */
  function visit(file: string): number {
    const own = order.size;
    let earliest = own;
    order.set(file, own);
    open.push(file);
    for (const next of imports.get(file) ?? []) {
      const known = order.get(next);
      if (known === undefined) earliest = Math.min(earliest, visit(next));
      else if (open.includes(next)) earliest = Math.min(earliest, known);
    }
    if (earliest === own) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1) found.push(circle.sort());
    }
    return earliest;
  }

  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return found;
}
