import { type Setting, setting, wholeNumber } from '../setting.ts';

/** How many things people, organizations and projects may have. */
export const quotaSettings = {
  ORGANIZATIONS_PER_OWNER: setting('Organizations that one person may own.', wholeNumber(1, 100_000), 50),
  PROJECTS_PER_ORGANIZATION: setting('Projects that an organization may have.', wholeNumber(1, 100_000), 500),
  ENVIRONMENTS_PER_PROJECT: setting('Environments that a project may have.', wholeNumber(1, 10_000), 50),
  SERVICES_PER_PROJECT: setting('Services that a project may have.', wholeNumber(1, 10_000), 500),
  PROCESSES_PER_SERVICE: setting('Processes that a service may have.', wholeNumber(1, 50), 20),
  TEAMS_PER_ORGANIZATION: setting('Teams that an organization may have.', wholeNumber(1, 100_000), 500),
  TOKENS_PER_ORGANIZATION: setting(
    'Active API tokens that an organization may have, those of CI jobs included.',
    wholeNumber(1, 1_000_000),
    2000,
  ),
  INVITATIONS_PER_ORGANIZATION: setting(
    'Pending invitations that an organization may have.',
    wholeNumber(1, 100_000),
    500,
  ),
  TRUSTED_ISSUERS_PER_ORGANIZATION: setting(
    'Trusted issuers that an organization may have.',
    wholeNumber(1, 10_000),
    100,
  ),
  NOTIFICATION_CHANNELS_PER_ORGANIZATION: setting(
    'Notification channels that an organization may have.',
    wholeNumber(1, 1_000),
    20,
  ),
  GIT_CONNECTIONS_PER_ORGANIZATION: setting(
    'Git connections that an organization may have.',
    wholeNumber(1, 10_000),
    100,
  ),
  OBJECT_STORES_PER_ORGANIZATION: setting(
    'Object stores for backups that an organization may have.',
    wholeNumber(1, 10_000),
    50,
  ),
  REGISTRY_BYTES_PER_BLOB: setting(
    'Largest layer of an image in the registry, in bytes.',
    wholeNumber(1_048_576, 1_000_000_000_000),
    10_737_418_240,
    { example: '10737418240' },
  ),
  REGISTRY_BYTES_PER_ORGANIZATION: setting(
    'Bytes of images that an organization may keep in the registry.',
    wholeNumber(1_048_576, 100_000_000_000_000),
    107_374_182_400,
    { example: '107374182400' },
  ),
  REGISTRY_UPLOADS_PER_ORGANIZATION: setting(
    'Uploads to the registry that an organization may have begun at once: a project three quarters, a credential half of them.',
    wholeNumber(1, 10_000),
    200,
    { example: '200' },
  ),
  REGISTRY_MANIFESTS_PER_REPOSITORY: setting(
    'Images, and tags, that one repository of the registry may have.',
    wholeNumber(1, 1_000_000),
    10_000,
    { example: '10000' },
  ),
  BUILD_SOURCE_FILES: setting('Files that an uploaded folder may have.', wholeNumber(1, 200_000), 20_000),
  BUILD_SOURCE_BYTES: setting(
    'Bytes that an uploaded folder may have in all.',
    wholeNumber(1_048_576, 1_000_000_000_000),
    2_147_483_648,
    { example: '2147483648' },
  ),
} as const satisfies Record<string, Setting<unknown>>;
