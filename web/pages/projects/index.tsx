import type { Affected } from '../../live/affected.ts';
import { after, count, type Deeds, type Kinds } from '../audit-log/deed.ts';
import { plainDeeds } from '../audit-log/plain-deeds.ts';

export const affected: Affected<'project' | 'environment' | 'service' | 'change_set' | 'approval' | 'deployment'> = {
  project: () => [],
  environment: () => [],
  service: () => [],
  change_set: () => [],
  approval: () => [],
  deployment: () => [],
};

export const kinds: Kinds<'project' | 'environment' | 'service' | 'change_set' | 'approval' | 'deployment'> = {
  project: 'Projects',
  environment: 'Environments',
  service: 'Services',
  change_set: 'Change sets',
  approval: 'Approvals',
  deployment: 'Deployments',
};

const changes = (items: unknown) => (items === undefined ? 'changes' : count(items, 'change'));

const updated = (thing: string) => ({
  label: 'Updated',
  done: ({ name }: { name: string }) => `changed ${thing} ${name}`,
});

export const deeds: Deeds<'project' | 'environment' | 'service' | 'change_set' | 'approval' | 'deployment'> = {
  ...plainDeeds('project', 'the project'),
  'project.updated': updated('the project'),
  ...plainDeeds('environment', 'the environment'),
  'environment.updated': updated('the environment'),
  ...plainDeeds('service', 'the service'),
  'service.updated': updated('the service'),
  'service.process_restarted': {
    label: 'Process restarted',
    done: ({ name, details }) => `restarted the process ${name}${after(' in ', details.environment)}`,
  },
  'service.cron_run': {
    label: 'Cron process run',
    done: ({ name, details }) => `ran the cron process ${name}${after(' in ', details.environment)}`,
  },
  'change_set.staged': {
    label: 'Staged',
    done: ({ name, details }) => `staged ${changes(details.items)} in ${name}`,
  },
  'change_set.unstaged': { label: 'Unstaged', done: ({ name }) => `removed a staged change from ${name}` },
  'change_set.discarded': { label: 'Discarded', done: ({ name }) => `discarded the staged changes of ${name}` },
  'change_set.applied': {
    label: 'Applied',
    done: ({ name, details }) => `applied ${changes(details.items)} to ${name}`,
  },
  'approval.requested': { label: 'Requested', done: ({ name }) => `requested approval in ${name}` },
  'approval.decided': {
    label: 'Decided',
    done: ({ name, details }) => `${details.decision === 'approved' ? 'approved' : 'rejected'} a change of ${name}`,
  },
  'deployment.requested': {
    label: 'Requested',
    done: ({ name, details }) => `requested a deployment of ${name}${after(' to ', details.environment)}`,
  },
  'deployment.cancelled': {
    label: 'Cancelled',
    done: ({ name, details }) => `cancelled the deployment of ${name}${after(' to ', details.environment)}`,
  },
};
