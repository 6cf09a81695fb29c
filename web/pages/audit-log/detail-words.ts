/** The details of a record as people read them. Names of fields that read badly have words of their own. */
const words: Record<string, string> = {
  allProjects: 'All projects may use it',
  amr: 'Signed in by',
  defaultClusterId: 'Default cluster',
  deletionId: 'Deletion',
  email: 'E-mail',
  ip: 'From',
  projectIds: 'Projects',
  requireMfa: 'Second factor required',
  tokenId: 'Identifier',
  tokenLifetimeSeconds: 'Token lifetime in seconds',
  token_lifetime_seconds: 'Token lifetime in seconds',
  project_ids: 'Projects',
  userId: 'Person',
  invitationId: 'Invitation',
  revokedTokens: 'Tokens revoked',
};

export interface DetailLine {
  label: string;
  text: string;
}

/** `nameOf`: who is meant by an id, where that is known. */
export function detailLines(
  details: Record<string, unknown>,
  nameOf: (id: string) => string | undefined,
): DetailLine[] {
  return Object.entries(details).map(([field, value]) => ({ label: labelOf(field), text: textOf(value, nameOf) }));
}

function labelOf(field: string): string {
  const spaced = field
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return words[field] ?? `${spaced.charAt(0).toUpperCase()}${spaced.slice(1)}`;
}

function textOf(value: unknown, nameOf: (id: string) => string | undefined): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (typeof value === 'string') return nameOf(value) ?? value;
  if (Array.isArray(value)) {
    return value.length === 0 ? 'none' : value.map((one) => textOf(one, nameOf)).join(', ');
  }
  if (typeof value !== 'object') return String(value);
  if ('from' in value && 'to' in value && Object.keys(value).length === 2) {
    return `from ${textOf(value.from, nameOf)} to ${textOf(value.to, nameOf)}`;
  }
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${textOf(one, nameOf)}`)
    .join('; ');
}
