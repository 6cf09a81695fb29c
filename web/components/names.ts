/** The first names, and how many there are besides. */
export function namesText(names: readonly string[], most: number): string {
  const more = names.length - most;
  const shown = names.slice(0, most).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
