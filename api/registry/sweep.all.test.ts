import { describe } from 'vitest';
import { bucketsAreThere } from '../../test/registry/bucket.ts';
import { sweepRules } from '../../test/registry/sweep-rules.ts';

describe.runIf(bucketsAreThere)('on s3', () => sweepRules('s3'));
