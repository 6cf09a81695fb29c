import { describe } from 'vitest';
import { pushRules } from '../../test/registry/push-rules.ts';

describe('on disk', () => pushRules('disk'));
