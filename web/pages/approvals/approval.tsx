import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate, useParams } from '@tanstack/react-router';
import { Button } from '../../components/forms/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Fact, Facts, Page, Section } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Status } from '../../components/status.tsx';
import type { Tone } from '../../components/style.ts';
import { durationText } from '../../components/times/durations.ts';
import { ExactTime, Time } from '../../components/times/time.tsx';
import { useOperation } from '../../control-plane/operation.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { counted } from '../instances/counted.ts';
import { ApprovalDiff, Commits, Reach } from './approval-changes.tsx';
import { type ApprovalAnswer, ApprovalStatus, BrokenGlass, titleOf } from './approval-words.tsx';
import { Decide } from './decide.tsx';

/** The environment has changed since: the difference below is not that of today, and a new approval shows it. */
export function Refresh({ approval: { id } }: { approval: ApprovalAnswer }) {
  const { trpc } = usePlane();
  const mayApply = useMay('deployer');
  const { organization = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const refresh = useOperation(trpc.approvals.refresh, {
    failed: 'The approval could not be refreshed',
    succeeded: 'Refreshed',
    touches: [trpc.deployments.pathKey(), trpc.changeSets.pathKey()],
    done: (fresh) =>
      void navigate({
        to: '/$organization/approvals/$approval',
        params: { organization, approval: fresh.id },
        replace: true,
      }),
  });
  return (
    <Notice tone="attention" title="The environment has changed since this was requested">
      <p>It cannot be approved as it is. Refresh it to see what it would change today, or reject it.</p>
      {mayApply && (
        <Button look="strong" busy={refresh.sending} onClick={() => refresh.send({ path: { id } })}>
          Refresh
        </Button>
      )}
    </Notice>
  );
}

const route = getRouteApi('/$organization/approvals/$approval');

/** One approval: what changes, what that touches, what was checked, and the decision. */
export function Approval() {
  const { trpc } = usePlane();
  const { approval: id, organization } = route.useParams();
  const { show } = route.useSearch();
  const query = useQuery(trpc.approvals.get.queryOptions({ path: { id } }));
  return (
    <ThingPage query={query} noun="Approval">
      {(approval) => (
        <Page
          title={titleOf(approval)}
          status={<ApprovalStatus of={approval} />}
          about={
            <>
              <Link
                to="/$organization/approvals"
                params={{ organization }}
                search={show === undefined ? {} : { show }}
                className="mb-1 block underline underline-offset-3 lg:hidden"
              >
                All approvals
              </Link>
              {approval.projectName}, requested by {approval.requestedBy} <Time at={approval.createdAt} />
              {approval.reason !== '' && `: ${approval.reason}`}
            </>
          }
        >
          {approval.stale && <Refresh approval={approval} />}
          {approval.decision === undefined ? <Decide approval={approval} /> : <Decision approval={approval} />}
          <ApprovalDiff approval={approval} />
          <Touches approval={approval} />
          <Reach approval={approval} />
          <Commits approval={approval} />
          <Checks approval={approval} />
        </Page>
      )}
    </ThingPage>
  );
}

function Decision({ approval }: { approval: ApprovalAnswer }) {
  const { decidedBy, decidedAt, selfApproved, brokenGlass, decisionReason } = approval;
  if (decidedAt === undefined) return null;
  if (brokenGlass) return <BrokenGlass approval={approval} />;
  return (
    <Section bare>
      <p className="text-soft">
        {decidedBy === '' ? 'Ended' : `Decided by ${decidedBy}`}, <Time at={decidedAt} />
        {decisionReason !== '' && `: ${decisionReason}`}
        {selfApproved && '. It was, at least in part, their own change: nobody else could decide then.'}
      </p>
    </Section>
  );
}

interface Impact {
  /** `deploys`: false where only settings change; those that were requested before it was told do. */
  services?: { id: string; name: string; firstDeploy?: boolean; deploys?: boolean }[];
  removed?: { id: string; slug: string }[];
  replicas?: number;
  downtime?: { name: string; processes: { name: string; volumes: string[] }[] }[];
  missing?: string[];
}

/** What is deployed, and what depends on it. */
function Touches({ approval: { impact, blastRadius, expiresAt, decision } }: { approval: ApprovalAnswer }) {
  const { services = [], removed = [], replicas = 0, downtime = [], missing = [] } = (impact ?? {}) as Impact;
  const unstarted = services.filter(({ deploys }) => deploys === false);
  return (
    <Section title="Impact">
      <Facts>
        <Fact label="Deployed">
          {services
            .filter(({ deploys }) => deploys !== false)
            .map(({ name, firstDeploy }) => (firstDeploy === true ? `${name} (for the first time)` : name))
            .join(', ') || 'Nothing'}
          {replicas > 0 && <span className="text-soft">, {counted(replicas, 'instance')} in all</span>}
        </Fact>
        {unstarted.length > 0 && (
          <Fact label="Settings alone">
            {unstarted.map(({ name }) => name).join(', ')}: nothing is started, without an image or while it is
            suspended
          </Fact>
        )}
        {removed.length > 0 && <Fact label="Removed">{removed.map(({ slug }) => slug).join(', ')}</Fact>}
        {downtime.length > 0 && (
          <Fact label="Brief downtime">
            {downtime
              .map(({ name, processes }) => {
                const stopped = processes.map((process) => `${process.name} with ${process.volumes.join(' and ')}`);
                return `${name} (${stopped.join(', ')})`;
              })
              .join(', ')}
          </Fact>
        )}
        {missing.length > 0 && (
          <Fact label="Variables that are missing">{`${missing.join(', ')}: the promoted release has them.`}</Fact>
        )}
        <Fact label="Depend on these">{blastRadius.map(({ name }) => name).join(', ') || 'No other services'}</Fact>
        {decision === undefined && (
          <Fact label="Expires">
            <Time at={expiresAt} />, <ExactTime at={expiresAt} />
          </Fact>
        )}
      </Facts>
    </Section>
  );
}

const checkWords: Record<string, string> = {
  build: 'Build',
  image: 'Image',
  digest: 'Releases',
  variables: 'Variables',
  capacity: 'Cluster',
  freeze: 'Freeze',
};
const outcomes: Record<ApprovalAnswer['checks'][number]['status'], { word: string; tone: Tone }> = {
  passed: { word: 'Passed', tone: 'good' },
  failed: { word: 'Failed', tone: 'fault' },
  running: { word: 'Running', tone: 'live' },
  skipped: { word: 'Skipped', tone: 'neutral' },
};

function Checks({ approval: { checks } }: { approval: ApprovalAnswer }) {
  return (
    <Section title="Checks">
      <Rows label="Checks">
        {checks.map(({ id, status, detail, durationSeconds }) => (
          <Row
            key={id}
            title={checkWords[id] ?? id}
            detail={<span className="break-all">{detail}</span>}
            facts={
              <>
                {durationSeconds !== undefined && (
                  <span className="tabular-nums">{durationText(durationSeconds * 1_000)}</span>
                )}
                <Status tone={outcomes[status].tone}>{outcomes[status].word}</Status>
              </>
            }
          />
        ))}
      </Rows>
    </Section>
  );
}
