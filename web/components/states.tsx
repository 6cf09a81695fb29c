import { AlertIcon, ShieldLockIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import type { Sought } from '../control-plane/by-slug.ts';
import type { Pages } from '../control-plane/pages.ts';
import { isMissing, problemOf } from '../control-plane/problem.ts';
import { Copyable } from './copyable.tsx';
import { Button } from './forms/button.tsx';
import { LoadingRows } from './loading.tsx';
import { withTimes } from './times/with-times.tsx';

interface StateProps {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

/** An empty list: names what belongs here and how to create the first one. */
export function EmptyState({ icon, title, children, action }: StateProps) {
  return (
    <div className="flex flex-col items-center gap-1 px-6 py-14 text-center">
      {icon !== undefined && (
        <div
          aria-hidden="true"
          className="mb-3 flex size-10 items-center justify-center rounded-lg border border-line bg-ground text-faint"
        >
          {icon}
        </div>
      )}
      <p className="font-medium text-text">{title}</p>
      {children !== undefined && <div className="max-w-md text-pretty text-soft text-sm">{withTimes(children)}</div>}
      {action !== undefined && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** A page that the role does not allow, with the problem's own sentence. */
export function NoPermission({ children }: { children?: ReactNode }) {
  return (
    <EmptyState icon={<ShieldLockIcon />} title="Your role does not allow this">
      {children ?? 'An administrator of the organization can give you another role.'}
    </EmptyState>
  );
}

export function ErrorState({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const { status, detail, requestId } = problemOf(error);
  if (status === 403) return <NoPermission>{detail}</NoPermission>;
  if (isMissing(error)) {
    return <EmptyState title="Not found">It was deleted, or the address is not complete.</EmptyState>;
  }
  const title = status === 0 ? 'No response' : 'This could not be loaded';
  return (
    <div role="alert">
      <EmptyState
        icon={<AlertIcon />}
        title={title}
        action={retry !== undefined && <Button onClick={retry}>Try again</Button>}
      >
        {detail}
        {requestId !== undefined && (
          <p className="mt-2 text-faint text-xs">
            Request <Copyable text={requestId} label="request id" />
          </p>
        )}
      </EmptyState>
    </div>
  );
}

/** Data of a query, or the reason why there is none yet. Loaded data stays on screen during a refetch. */
export function Loaded<Data>({
  query,
  loading,
  children,
}: {
  query: Sought<Data>;
  loading?: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  return loading ?? <LoadingRows />;
}

/** The same for a paginated list, with a button that loads more. */
export function LoadedPages<Item>({
  pages,
  empty,
  loading,
  children,
}: {
  pages: Pages<Item>;
  empty: ReactNode;
  loading?: ReactNode;
  children: (items: Item[]) => ReactNode;
}) {
  const { query, items, loadMore } = pages;
  if (items === undefined) {
    if (query.isError) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
    return loading ?? <LoadingRows />;
  }
  if (items.length === 0) return empty;
  return (
    <>
      {children(items)}
      {(loadMore !== undefined || query.isFetchingNextPage) && (
        <div className="flex justify-center border-line border-t p-2">
          <Button look="quiet" small busy={query.isFetchingNextPage} onClick={loadMore}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
