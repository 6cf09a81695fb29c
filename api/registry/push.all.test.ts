import { describe } from 'vitest';
import { bucketsAreThere } from '../../test/registry/bucket.ts';
import { pushRules } from '../../test/registry/push-rules.ts';

describe.runIf(bucketsAreThere)('on s3', () => pushRules('s3'));
