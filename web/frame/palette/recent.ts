import { useEffect } from 'react';
import { keep, keptList } from '../../components/browser/kept.ts';
import { useMembership, useSession } from '../../control-plane/session.ts';

/** A thing that this person has opened here: no more than its page showed. */
export interface Visited {
  kind:
    | 'project'
    | 'environment'
    | 'service'
    | 'cluster'
    | 'instance'
    | 'workflow'
    | 'member'
    | 'team'
    | 'token'
    | 'invitation'
    | 'trusted-issuer'
    | 'workload';
  id: string;
  name: string;
  clusterId?: string;
  /** Slugs of projects and of what is in them, for the address. */
  place?: { project: string; environment?: string; service?: string };
}

const prefix = 'ballast.recent.';
const most = 8;

/** Of one person in one organization: browsers are shared. */
export function useRecentKey(): string {
  return `${prefix}${useSession()?.user.id ?? ''}.${useMembership().id}`;
}

export function recentThings(key: string): Visited[] {
  return keptList(key).filter(isVisited).slice(0, most);
}

export function rememberVisit(key: string, { kind, id, name, clusterId, place }: Visited): void {
  const others = recentThings(key).filter((one) => one.kind !== kind || one.id !== id);
  const visited = { kind, id, name, ...(clusterId && { clusterId }), ...(place && { place }) };
  keep(key, JSON.stringify([visited, ...others].slice(0, most)));
}

/** At sign-out: the next person at this browser sees no names. */
export function forgetVisits(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
  } catch {
    // Nothing was stored.
  }
}

/** The page shows this thing; nothing before it is loaded. */
export function useVisited(kind: Visited['kind'], id: string, name: string | undefined, clusterId?: string): void {
  const key = useRecentKey();
  useEffect(() => {
    if (name !== undefined) rememberVisit(key, { kind, id, name, ...(clusterId === undefined ? {} : { clusterId }) });
  }, [key, kind, id, name, clusterId]);
}

/** The same for what slugs lead to. */
export function useVisitedPlace(
  kind: Visited['kind'],
  id: string,
  name: string,
  at: NonNullable<Visited['place']>,
): void {
  const key = useRecentKey();
  const text = JSON.stringify(at);
  useEffect(() => {
    rememberVisit(key, { kind, id, name, place: JSON.parse(text) });
  }, [key, kind, id, name, text]);
}

function isVisited(stored: unknown): stored is Visited {
  if (typeof stored !== 'object' || stored === null) return false;
  const { kind, id, name } = stored as Partial<Record<string, unknown>>;
  return [kind, id, name].every((part) => typeof part === 'string');
}
