import { describe } from 'vitest';
import { bucketsAreThere } from '../../test/registry/bucket.ts';
import { resumeRules } from '../../test/registry/resume-rules.ts';

describe.runIf(bucketsAreThere)('on s3', () => resumeRules('s3'));
