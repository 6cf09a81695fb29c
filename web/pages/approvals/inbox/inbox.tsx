import { ChecklistIcon } from '@primer/octicons-react';
import { getRouteApi, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { Fragment, useEffect, useRef } from 'react';
import { Button } from '../../../components/forms/button.tsx';
import { LoadingRows } from '../../../components/loading.tsx';
import { useAsPageTitle } from '../../../components/page-title.ts';
import { Row, Rows } from '../../../components/rows.tsx';
import { EmptyState, ErrorState } from '../../../components/states.tsx';
import { classes } from '../../../components/style.ts';
import { Tabs } from '../../../components/tabs.tsx';
import { Time } from '../../../components/times/time.tsx';
import { type Pages, usePages } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { usePageKeys } from '../../../frame/palette/page-keys.ts';
import { ApprovalStatus, type ListedApproval, titleOf } from '../approval-words.tsx';

const hints = [
  { keys: ['j', 'k', '↓', '↑'], what: 'move' },
  { keys: ['a'], what: 'approve' },
  { keys: ['r'], what: 'reject' },
  { keys: ['Enter'], what: 'sends the reason' },
] as const;

/** The keys of this page. Phones have none. */
export function KeyHints() {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-soft text-xs max-lg:hidden">
      {hints.map(({ keys, what }) => (
        <span key={what} className="inline-flex items-center gap-1">
          {keys.map((key, index) => (
            <Fragment key={key}>
              {index > 0 && ' '}
              <Key>{key}</Key>
            </Fragment>
          ))}{' '}
          {what}
        </span>
      ))}
    </p>
  );
}

function Key({ children }: { children: string }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line bg-ground px-1.5 font-sans text-xs">
      {children}
    </kbd>
  );
}

const route = getRouteApi('/$organization/approvals');

/** Approvals beside the one that is chosen, which stands in the address; on narrow screens one of the two. */
export function ApprovalInbox() {
  const { trpc } = usePlane();
  const { show } = route.useSearch();
  const { approval: chosen } = useParams({ strict: false });
  const order = show === undefined ? 'oldest' : 'newest';
  const approvals = usePages(trpc.approvals.list, { query: { state: show ?? 'pending', order, limit: 200 } });
  return (
    <div className="mx-auto grid w-full max-w-[1680px] items-start lg:grid-cols-[23rem_minmax(0,1fr)]">
      <section
        aria-label="All approvals"
        className={classes(
          'min-w-0 lg:sticky lg:top-0 lg:h-[calc(100dvh-3.25rem)] lg:overflow-y-auto lg:border-line lg:border-r',
          chosen !== undefined && 'max-lg:hidden',
        )}
      >
        <div className="flex flex-col gap-4 px-4 pt-8 pb-4 max-sm:pt-5">
          {chosen === undefined ? <Heading /> : <p className="font-semibold text-xl tracking-[-0.015em]">Approvals</p>}
          <p className="text-pretty text-soft text-sm">
            Changes of production wait here until an administrator has looked at them.
          </p>
          <Tabs
            label="Approvals"
            tabs={[
              { label: 'Pending', link: { to: '.', search: {} }, active: show === undefined },
              { label: 'Decided', link: { to: '.', search: { show: 'decided' } }, active: show === 'decided' },
            ]}
          />
          <KeyHints />
        </div>
        <List approvals={approvals} chosen={chosen} />
      </section>
      <div className={classes('min-w-0', chosen === undefined && 'max-lg:hidden')}>
        <Outlet />
      </div>
    </div>
  );
}

function Heading() {
  useAsPageTitle('Approvals');
  return (
    <h1 tabIndex={-1} className="font-semibold text-xl tracking-[-0.015em]">
      Approvals
    </h1>
  );
}

function List({ approvals, chosen }: { approvals: Pages<ListedApproval>; chosen: string | undefined }) {
  const { organization } = route.useParams();
  const { show } = route.useSearch();
  const { items, query, loadMore } = approvals;
  useMoving(items ?? [], chosen);
  if (items === undefined) {
    return query.isError ? <ErrorState error={query.error} retry={() => void query.refetch()} /> : <LoadingRows />;
  }
  if (items.length === 0) {
    return (
      <EmptyState
        icon={<ChecklistIcon />}
        title={show === undefined ? 'Nothing waits for an approval' : 'Nothing was decided yet'}
      >
        Staged changes of a production environment come here when somebody requests their approval.
      </EmptyState>
    );
  }
  return (
    <div className="border-line border-t">
      <Rows label="Approvals">
        {items.map((approval) => (
          <Row
            key={approval.id}
            id={approval.id}
            title={titleOf(approval)}
            link={{
              to: '/$organization/approvals/$approval',
              params: { organization, approval: approval.id },
              search: show === undefined ? {} : { show },
            }}
            badges={<ApprovalStatus of={approval} />}
            detail={<About approval={approval} />}
          />
        ))}
      </Rows>
      {loadMore !== undefined && (
        <div className="p-4">
          <Button onClick={loadMore}>Show more</Button>
        </div>
      )}
    </div>
  );
}

function About({ approval }: { approval: ListedApproval }) {
  const { projectName, requestedBy, createdAt, expiresAt, decision, decidedBy, decidedAt, reason } = approval;
  return (
    <>
      {reason !== '' && <span className="line-clamp-2 text-text">{reason}</span>}
      <span className="block">
        {projectName}, requested by {requestedBy} <Time at={createdAt} />
      </span>
      <span className="block">
        {decision === undefined ? (
          <>
            Expires <Time at={expiresAt} />
          </>
        ) : (
          decidedAt !== undefined && (
            <>
              {decidedBy === '' ? 'Ended' : `By ${decidedBy}`} <Time at={decidedAt} />
            </>
          )
        )}
      </span>
    </>
  );
}

/** `j` and `k`, or the arrows, choose the next and the one before; from one that has left the list, what took its place. */
function useMoving(items: readonly ListedApproval[], chosen: string | undefined): void {
  const { organization } = route.useParams();
  const navigate = useNavigate();
  const place = useRef(0);
  const here = items.findIndex(({ id }) => id === chosen);
  useEffect(() => {
    if (here < 0) return;
    place.current = here;
    document.querySelector(`[data-id="${chosen}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [here, chosen]);
  const move = (by: 1 | -1) => () => {
    const gone = here < 0;
    const next = gone ? Math.min(place.current + (by < 0 ? -1 : 0), items.length - 1) : here + by;
    const to = items[Math.max(0, next)];
    if (to === undefined || to.id === chosen) return;
    void navigate({
      to: '/$organization/approvals/$approval',
      params: { organization, approval: to.id },
      search: (before: object) => before,
      // Going through a list leaves one entry in the history.
      replace: chosen !== undefined,
    });
  };
  usePageKeys({ j: move(1), k: move(-1), ArrowDown: move(1), ArrowUp: move(-1) });
}

/** Beside the list while none of it is chosen. */
export function NoneChosen() {
  return (
    <div className="pt-24">
      <EmptyState icon={<ChecklistIcon />} title="No approval is chosen">
        Choose one to see what it changes and what that touches.
      </EmptyState>
    </div>
  );
}
