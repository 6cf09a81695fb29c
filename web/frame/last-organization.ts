const key = 'ballast.organization';

/** Where the console begins next time. A slug is no secret. */
export function rememberOrganization(slug: string): void {
  try {
    localStorage.setItem(key, slug);
  } catch {
    // Storage may be closed; then the first organization is where it begins.
  }
}

export function lastOrganization(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}
