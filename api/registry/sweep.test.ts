import { describe } from 'vitest';
import { sweepRules } from '../../test/registry/sweep-rules.ts';

describe('on disk', () => sweepRules('disk'));
