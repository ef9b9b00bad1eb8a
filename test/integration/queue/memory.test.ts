import { memoryStore } from '../../../src/queue/index.ts';
import { describeStore } from './store.suite.ts';

describeStore('memory', async () => memoryStore());
