import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ActionMenu } from '../../components/actions/action-menu.tsx';
import { Diff } from '../../components/diff/diff.tsx';
import { Card, Page, Section } from '../../components/page.tsx';
import { EmptyState, Loaded, LoadedPages } from '../../components/states.tsx';
import { wordsOf } from '../../components/status.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Timeline, TimelineItem } from '../../components/timeline.tsx';
import { durationText } from '../../components/times/durations.ts';
import { ClockTime, Time } from '../../components/times/time.tsx';
import { useList } from '../../control-plane/by-slug.ts';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMembership } from '../../control-plane/session.ts';
import { ThingPage } from '../../frame/fallbacks/thing-page.tsx';
import { ApprovalOf } from '../approvals/held/held-strip.tsx';
import { ReleaseConfig } from '../builds/build-config.tsx';
import { EnvironmentLog } from '../environments/environment-log.tsx';
import { byService, lineOf } from '../environments/staged/item-lines.ts';
import { ChangeSetStrip } from './change-set-strip.tsx';
import { deploymentActions, useDeploymentTools } from './deployment-actions.tsx';
import { DeploymentStages } from './deployment-stages.tsx';
import { DeploymentStatus } from './deployment-status.tsx';
import { DeploymentFailure, DeploymentWhy } from './deployment-why.tsx';
import {
  blockers,
  type DeploymentAnswer,
  deploymentLink,
  eventWords,
  kindWords,
  stageWords,
  states,
} from './deployment-words.ts';
import { promoteAction } from './promotion/promote-action.tsx';
import { Serving } from './serving.tsx';

/** From a rerun to the deployment that it repeats, and from that one to its newest rerun. */
export function Reruns({ deployment: { rerunOf, fromStage, rerunId } }: { deployment: DeploymentAnswer }) {
  const from = fromStage === undefined ? '' : ` from ${stageWords[fromStage].toLowerCase()}`;
  return (
    <>
      {rerunOf !== undefined && <To id={rerunOf}>Rerun{from} of an earlier deployment</To>}
      {rerunId !== undefined && <To id={rerunId}>It was rerun</To>}
    </>
  );
}

function To({ id, children }: { id: string; children: React.ReactNode }) {
  const { slug } = useMembership();
  return (
    <>
      {' · '}
      <Link {...deploymentLink({ id }, slug)} className="underline underline-offset-3">
        {children}
      </Link>
    </>
  );
}

/** The changes that a deployment brought, and those that its change set brought elsewhere. */
export function DeploymentChanges({ deployment }: { deployment: DeploymentAnswer }) {
  const { changeSetId } = deployment;
  if (changeSetId !== undefined) return <OfChangeSet id={changeSetId} />;
  return (
    <Card>
      <EmptyState title="No staged changes">
        It runs release {deployment.releaseNumber} as it was frozen: the same image, settings and variables.
      </EmptyState>
    </Card>
  );
}

function OfChangeSet({ id }: { id: string }) {
  const { trpc } = usePlane();
  const query = useQuery(trpc.changeSets.get.queryOptions({ path: { id } }));
  return (
    <Loaded query={query}>
      {({ changeSet, items }) => (
        <>
          <ChangeSetStrip changeSet={changeSet} />
          {byService(items).map(([service, changes]) => (
            <Section key={service} title={service}>
              <Diff
                label={`Changes of ${service}`}
                lines={changes.map((item) => ({ ...lineOf(item), about: item.stagedBy.name }))}
              />
            </Section>
          ))}
        </>
      )}
    </Loaded>
  );
}

const route = getRouteApi('/$organization/p/$project/e/$environment/s/$service/deployments/$deployment');

/** One deployment: its state, its stages, and what it changed, told and wrote. */
export function Deployment() {
  const { trpc } = usePlane();
  const { deployment: id } = route.useParams();
  const query = useQuery(trpc.deployments.get.queryOptions({ path: { id } }));
  return (
    <ThingPage query={query} noun="Deployment">
      {(deployment) => <OneDeployment deployment={deployment} />}
    </ThingPage>
  );
}

const tabs = [
  { label: 'Overview' },
  { label: 'Changes', show: 'changes' },
  { label: 'History', show: 'history' },
  { label: 'Logs', show: 'logs' },
] as const;

function OneDeployment({ deployment }: { deployment: DeploymentAnswer }) {
  const { show } = route.useSearch();
  const tools = useDeploymentTools();
  const { releaseNumber, projectId, environmentId, state } = deployment;
  const { trpc } = usePlane();
  const environments = useList(trpc.environments.list, { path: { id: projectId } }).items ?? [];
  const targets = state === 'live' ? environments.filter(({ id }) => id !== environmentId) : [];
  const promotions = targets.map((to) => promoteAction(deployment, to, tools));
  return (
    <Page
      title={`Release ${releaseNumber}`}
      status={<DeploymentStatus deployment={deployment} />}
      about={<About deployment={deployment} />}
      actions={
        <ActionMenu
          label="Actions for this deployment"
          actions={[...deploymentActions(deployment, tools), ...promotions]}
        />
      }
      tabs={
        <Tabs
          label="Parts of the deployment"
          tabs={tabs.map(({ label, ...tab }) => ({
            label,
            link: { to: '.', search: 'show' in tab ? { show: tab.show } : {} },
            active: show === ('show' in tab ? tab.show : undefined),
          }))}
        />
      }
    >
      {show === 'changes' && <DeploymentChanges deployment={deployment} />}
      {show === 'history' && <DeploymentHistory deployment={deployment} />}
      {show === 'logs' && <DeploymentLogs deployment={deployment} />}
      {show === undefined && (
        <>
          <ApprovalOf approvalId={deployment.approvalId} />
          <DeploymentWhy deployment={deployment} />
          <DeploymentFailure deployment={deployment} />
          <Serving of={deployment} />
          <DeploymentStages deployment={deployment} />
          <ReleaseConfig releaseId={deployment.releaseId} />
        </>
      )}
    </Page>
  );
}

function About({ deployment }: { deployment: DeploymentAnswer }) {
  const { kind, requestedBy, createdAt, changeSetMessage, serviceName, environmentName } = deployment;
  return (
    <>
      {kindWords[kind]} of {serviceName} to {environmentName} by {requestedBy}, <Time at={createdAt} />
      {changeSetMessage !== '' && `: ${changeSetMessage}`}
      <Reruns deployment={deployment} />
    </>
  );
}

type Event = Answers['deployments']['events']['items'][number];

/** The events of a deployment, in words. */
function DeploymentHistory({ deployment: { id } }: { deployment: DeploymentAnswer }) {
  const { trpc } = usePlane();
  const { slug: organization } = useMembership();
  const events = usePages(trpc.deployments.events, { path: { id }, query: { limit: 100 } });
  return (
    <Section
      title="History"
      actions={
        <Link
          to="/$organization/workflows/$workflow"
          params={{ organization, workflow: id }}
          className="rounded-sm text-soft text-sm hover:text-text"
        >
          The workflow behind it
        </Link>
      }
    >
      <LoadedPages pages={events} empty={<EmptyState title="Nothing happened yet" />}>
        {(items) => (
          <Timeline label="History">
            {items.map((event) => (
              <TimelineItem
                key={event.id}
                tone={wordsOf(eventWords, event.kind).tone}
                title={titleOf(event)}
                aside={
                  <>
                    {tookText(event, items)}
                    <ClockTime at={event.at} />
                  </>
                }
              >
                {event.message === '' ? undefined : event.message}
              </TimelineItem>
            ))}
          </Timeline>
        )}
      </LoadedPages>
    </Section>
  );
}

/** Of what ended, how long it took: a stage since it began, a wait since it was said. */
function tookText({ kind, stage, at }: Event, all: readonly Event[]): string {
  const begins = { 'stage-ended': 'stage-started', unblocked: 'blocked', decided: 'approval-requested' }[
    kind as string
  ];
  const since = all
    .filter((one) => one.kind === begins && (kind !== 'stage-ended' || one.stage === stage) && one.at <= at)
    .map((one) => Date.parse(one.at));
  return since.length === 0 ? '' : durationText(Date.parse(at) - Math.max(...since));
}

function titleOf({ kind, stage, blocker, decision, decidedBy }: Event): string {
  const { word } = wordsOf(eventWords, kind);
  if (kind === 'stage-started' || kind === 'stage-ended') {
    return `${stageWords[stage as keyof typeof stageWords] ?? stage}: ${word.toLowerCase()}`;
  }
  if (kind === 'blocked') return blockers[blocker as keyof typeof blockers]?.waits ?? word;
  if (kind === 'decided') return `${decision === 'approved' ? 'Approved' : 'Rejected'} by ${decidedBy}`;
  if (kind === 'finished') return `Ended: ${wordsOf(states, stage || decision).word.toLowerCase() || 'done'}`;
  return word;
}

/** The logs of the service while and since it was deployed. */
function DeploymentLogs({ deployment }: { deployment: DeploymentAnswer }) {
  const { trpc } = usePlane();
  const { environmentId, serviceName } = deployment;
  const { project, environment: slug, service } = route.useParams();
  const environment = useQuery(trpc.environments.get.queryOptions({ path: { id: environmentId } }));
  return (
    <Loaded query={environment}>
      {({ clusterId = '' }) => (
        <EnvironmentLog clusterId={clusterId} place={`${project}/${slug}/${service}`} name={serviceName} />
      )}
    </Loaded>
  );
}
