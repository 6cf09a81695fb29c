/** Slugs that a service cannot depend on, with their place in the list and the reason. */
export function dependencyFaults(
  slug: string,
  dependsOn: readonly string[],
  bySlug: ReadonlyMap<string, { dependsOn: readonly string[] }>,
): { index: number; message: string }[] {
  const leadsBack = (from: string, seen: Set<string>): boolean => {
    if (from === slug) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return (bySlug.get(from)?.dependsOn ?? []).some((next) => leadsBack(next, seen));
  };
  return dependsOn.flatMap((other, index) => {
    if (other === slug) return [{ index, message: 'is the service itself' }];
    if (!bySlug.has(other)) return [{ index, message: 'is no service of this project' }];
    if (dependsOn.indexOf(other) < index) return [{ index, message: 'is in the list already' }];
    return leadsBack(other, new Set()) ? [{ index, message: `depends on ${slug} itself, so neither could begin` }] : [];
  });
}
