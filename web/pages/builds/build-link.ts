import type { LinkProps } from '@tanstack/react-router';

/** The page of a build, from wherever only its id is known. */
export function buildLink({ id }: { id: string }, organization: string): LinkProps {
  return { to: '/$organization/builds/$build', params: { organization, build: id } };
}
