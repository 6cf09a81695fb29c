import { test } from 'vitest';
import { expiringApprovals, oneCounts } from '../../test/api/expiring-approvals.ts';

expiringApprovals();

test.each(['decided a moment before it expires', 'expired a moment before it is decided'])(
  'in turn, a decision and the expiry meet, %s: one counts, and nothing is doubled',
  oneCounts,
);
