import { describe } from 'vitest';
import { resumeRules } from '../../test/registry/resume-rules.ts';

describe('on disk', () => resumeRules('disk'));
