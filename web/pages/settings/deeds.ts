import {
  type About,
  change,
  clockDeeds,
  type Deeds,
  fromTo,
  list,
  plainDeed,
  plainDeeds,
  said,
  updatedDeed,
} from '../audit-log/deed.ts';

function organizationChanges({ name, details }: About): string {
  const renamed = change(details, 'name');
  const mfa = change(details, 'requireMfa');
  const cluster = change(details, 'defaultClusterId');
  const builds = change(details, 'buildRegistryCredentialId') ?? change(details, 'buildRepositoryPrefix');
  return (
    list([
      renamed && `renamed the organization from ${said(renamed.from)} to ${said(renamed.to)}`,
      mfa && (mfa.to === true ? 'required a second factor of everybody' : 'no longer required a second factor'),
      cluster && (cluster.to === null ? 'removed the default cluster' : 'chose the default cluster'),
      builds && 'changed where builds are kept',
    ]) || `changed the organization ${name}`
  );
}

export const kinds = {
  organization: 'Organization',
  registry_credential: 'Registry credentials',
  object_store: 'Object stores',
  volume_backup: 'Volume backups',
  volume_restore: 'Volume restores',
};

export const deeds: Deeds<
  'organization' | 'registry_credential' | 'object_store' | 'volume_backup' | 'volume_restore'
> = {
  ...plainDeeds('registry_credential', 'the registry credential'),
  'registry_credential.checked': {
    label: 'Checked',
    done: ({ name, details }) =>
      `checked the registry credential ${name}${details.failed === true ? ', which was refused' : ''}`,
  },
  'registry_credential.updated': updatedDeed('the registry credential'),
  ...plainDeeds('volume_backup', 'the backup of'),
  'volume_backup.requested': plainDeed('Requested', 'backed up'),
  'volume_backup.cancelled': plainDeed('Cancelled', 'cancelled the backup of'),
  'volume_backup.downloaded': plainDeed('Downloaded', 'got an address to download the backup of'),
  'volume_restore.requested': plainDeed('Requested', 'restored'),
  'volume_restore.cancelled': plainDeed('Cancelled', 'cancelled the restore of'),
  ...plainDeeds('object_store', 'the object store'),
  'object_store.verified': {
    label: 'Verified',
    done: ({ name, details }) => `verified the object store ${name}${details.failed === true ? ', which failed' : ''}`,
  },
  'object_store.updated': updatedDeed('the object store'),
  ...plainDeeds('organization', 'the organization'),
  ...clockDeeds('organization', 'the organization'),
  'organization.updated': { label: 'Changed', done: organizationChanges },
  'organization.approval_expiry_set': {
    label: 'Expiry of approvals set',
    done: ({ details }) => `set the expiry of approvals${fromTo(details, 3_600_000)}`,
  },
  'organization.deleted_retention_set': {
    label: 'Retention set',
    done: ({ details }) => `set the retention of deleted data${fromTo(details, 3_600_000)}`,
  },
  'organization.join_token_ttl_set': {
    label: 'Join command lifetime set',
    done: ({ details }) => `set the join command lifetime${fromTo(details, 1_000)}`,
  },
};
