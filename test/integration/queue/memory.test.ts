import { memoryStore } from '../../../src/queue/stores/memory.ts';
import { describeStore } from './store.suite.ts';

describeStore('memory', async () => memoryStore());
