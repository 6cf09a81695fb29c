const key = 'ballast.organization';

/** The organization that the console opens next time. A slug is no secret. */
export function rememberOrganization(slug: string): void {
  try {
    localStorage.setItem(key, slug);
  } catch {
    // Storage may be blocked; the console then opens the first organization.
  }
}

export function lastOrganization(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}
