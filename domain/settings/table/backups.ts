import { optional, origin, type Setting, setting, text } from '../setting.ts';

/** Of the bucket that `ballast admin backup`, `verify` and `restore` are given as `s3://BUCKET/PREFIX`. */
export const backupSettings = {
  BACKUP_S3_ENDPOINT: optional(
    'Endpoint of the bucket of backups of this installation, if it is not with AWS.',
    origin,
    { example: 'https://minio.internal:9000' },
  ),
  BACKUP_S3_REGION: setting('Region of that bucket of backups.', text, 'us-east-1', { example: 'eu-central-1' }),
  BACKUP_S3_ACCESS_KEY_ID: optional('Access key id for that bucket of backups.', text),
  BACKUP_S3_SECRET_ACCESS_KEY: optional('Secret access key for that bucket of backups.', text, { secret: true }),
} as const satisfies Record<string, Setting<unknown>>;
