import { describe } from 'vitest';
import { bucketsAreThere } from '../../../test/registry/bucket.ts';
import { packRules } from '../../../test/registry/pack-rules.ts';

describe.runIf(bucketsAreThere)('a pack, on s3', () => packRules('s3'));
