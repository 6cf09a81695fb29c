import { clockDeeds, type Deeds, plainDeed, plainDeeds, updatedDeed } from '../audit-log/deed.ts';

export const kinds = { service: 'Services' };

export const deeds: Deeds<'service'> = {
  ...plainDeeds('service', 'the service'),
  ...clockDeeds('service', 'the service'),
  'service.updated': updatedDeed('the service'),
  'service.process_restarted': plainDeed('Process restarted', 'restarted the process', { environment: ' in ' }),
  'service.suspended': plainDeed('Suspended', 'suspended the service', { environment: ' in ' }),
  'service.resumed': plainDeed('Resumed', 'resumed the service', { environment: ' in ' }),
  'service.source_uploaded': plainDeed('Source uploaded', 'uploaded a source of the service'),
  'service.cron_run': plainDeed('Cron process run', 'ran the cron process', { environment: ' in ' }),
};
