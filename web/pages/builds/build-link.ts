import type { LinkProps } from '@tanstack/react-router';

/** The page of a build, from wherever only its id is known. */
export function buildLink({ id }: { id: string }, organization: string): LinkProps {
  return { to: '/$organization/builds/$build', params: { organization, build: id } };
}

/** The page of a build, at the last line of its log where there is one. */
export function logEnd({ id, logLines }: { id: string; logLines: number }, organization: string): LinkProps {
  return { ...buildLink({ id }, organization), ...(logLines === 0 ? {} : { hash: `L${logLines}` }) };
}
