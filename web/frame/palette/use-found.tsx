import { LinkIcon } from '@primer/octicons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useLate } from '../../control-plane/late.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import type { Command } from './commands.tsx';
import { type Found, kinds } from './kinds-of-things.tsx';
import { recentThings, rememberVisit, useRecentKey } from './recent.ts';

interface Group {
  label: string;
  items: Command[];
}

/** Longer than anything that has a name; the API takes no more. */
const most = 200;

interface FoundThings {
  groups: Group[];
  /** The answer to what is typed is not there yet. */
  waits: boolean;
  /** Why there is none. */
  error: unknown;
  retry: () => void;
}

/** Things of the organization whose name or id has the text, by kind, the best first; before anything is typed, recent ones. */
export function useFound(text: string): FoundThings {
  const { trpc } = usePlane();
  const router = useRouter();
  const itemOf = useItem();
  const key = useRecentKey();
  const typed = text.trim();
  const sought = useLate(typed);
  const asked = sought !== '' && sought.length <= most && addressOf(sought) === undefined;
  const { data, error, refetch, isPlaceholderData, isPending } = useQuery(
    trpc.searches.search.queryOptions(
      { query: { q: sought, limit: 30 } },
      // Names change: an answer is good for as long as the palette is open.
      { enabled: asked, placeholderData: keepPreviousData, gcTime: 0, trpc: { abortOnUnmount: true } },
    ),
  );
  const told = { waits: false, error: null, retry: () => void refetch() };
  if (typed === '') {
    const items = recentThings(key).map((one) => itemOf(one));
    return { ...told, groups: items.length === 0 ? [] : [{ label: 'Recent', items }] };
  }
  const address = addressOf(typed);
  if (address !== undefined) {
    const run = () => router.history.push(address);
    const item = { id: 'address', label: `Go to ${address}`, also: text, icon: <LinkIcon />, run };
    return { ...told, groups: [{ label: 'Address', items: [item] }] };
  }
  const waits =
    typed.length <= most && (sought !== typed || (asked && (isPending || isPlaceholderData) && error === null));
  // An answer to another text shows only what fits this one: Enter may come before the next.
  const fresh = sought === typed && !isPlaceholderData;
  const found = Map.groupBy(asked ? (data?.found ?? []) : [], ({ kind }) => kind);
  const groups = [...found].flatMap(([kind, things]) => {
    const known = kinds[kind];
    return known === undefined
      ? []
      : [{ label: known.many, items: things.map((one) => itemOf(one, fresh ? text : '')) }];
  });
  return { ...told, groups, waits, error };
}

function useItem() {
  const { slug } = useMembership();
  const navigate = useNavigate();
  const key = useRecentKey();
  /** `text`: the control plane has found it by this, whatever its name is. */
  return (one: Found, text = ''): Command => {
    const { kind, id, name, detail = '' } = one;
    const { icon, status, link } = kinds[kind];
    return {
      id: `${kind} ${id}`,
      label: name,
      detail,
      status: status?.(one),
      also: `${detail} ${text}`,
      icon,
      run: () => {
        rememberVisit(key, one);
        void navigate(link(one, slug));
      },
    };
  };
}

/** The page that a pasted address of this console leads to. */
function addressOf(text: string): string | undefined {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash } = new URL(text);
  return origin === location.origin ? `${pathname}${search}${hash}` : undefined;
}
