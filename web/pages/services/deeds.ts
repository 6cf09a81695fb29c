import { after, clockDeeds, type Deeds, type Kinds, plainDeeds, updatedDeed } from '../audit-log/deed.ts';

export const kinds: Kinds<'service'> = { service: 'Services' };

export const deeds: Deeds<'service'> = {
  ...plainDeeds('service', 'the service'),
  ...clockDeeds('service', 'the service'),
  'service.updated': updatedDeed('the service'),
  'service.process_restarted': {
    label: 'Process restarted',
    done: ({ name, details }) => `restarted the process ${name}${after(' in ', details.environment)}`,
  },
  'service.suspended': {
    label: 'Suspended',
    done: ({ name, details }) => `suspended the service ${name}${after(' in ', details.environment)}`,
  },
  'service.resumed': {
    label: 'Resumed',
    done: ({ name, details }) => `resumed the service ${name}${after(' in ', details.environment)}`,
  },
  'service.source_uploaded': {
    label: 'Source uploaded',
    done: ({ name }) => `uploaded a source of the service ${name}`,
  },
  'service.cron_run': {
    label: 'Cron process run',
    done: ({ name, details }) => `ran the cron process ${name}${after(' in ', details.environment)}`,
  },
};
