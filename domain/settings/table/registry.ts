import { join } from 'node:path';
import { bucketName, keyPrefix, optional, origin, path, type Setting, setting, text, yesOrNo } from '../setting.ts';

/** Where the images that were pushed are kept. */
export const registrySettings = {
  REGISTRY_DIRECTORY: setting(
    'Directory of the images that were pushed.',
    path,
    (above) => join(String(above.BALLAST_HOME), 'registry'),
    { shown: 'registry in the home', example: '/var/lib/ballast/registry' },
  ),
  REGISTRY_S3_BUCKET: optional(
    'Bucket (S3) of the images that were pushed, instead of REGISTRY_DIRECTORY: for API processes on several machines.',
    bucketName,
  ),
  REGISTRY_S3_ENDPOINT: optional('Endpoint of that bucket, if it is not with AWS.', origin, {
    example: 'https://minio.internal:9000',
  }),
  REGISTRY_S3_REGION: setting('Region of that bucket.', text, 'us-east-1', { example: 'eu-central-1' }),
  REGISTRY_S3_PREFIX: setting('Beginning of all keys in that bucket; none if unset.', keyPrefix, ''),
  REGISTRY_S3_PATH_STYLE: setting(
    "Whether the bucket is in the path of addresses, not in the host's name.",
    yesOrNo,
    (above) => above.REGISTRY_S3_ENDPOINT !== undefined,
    { shown: 'true if REGISTRY_S3_ENDPOINT is set' },
  ),
  REGISTRY_S3_ACCESS_KEY_ID: optional('Access key id for that bucket.', text),
  REGISTRY_S3_SECRET_ACCESS_KEY: optional('Secret access key for that bucket.', text, { secret: true }),
} as const satisfies Record<string, Setting<unknown>>;
