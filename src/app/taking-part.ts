// Tells each daemon what the app has a use for, so that it sends nothing else.
import { bridge } from './bridge.ts';
import { shared } from './shared.ts';

interface Part {
  messages: boolean;
  metrics: boolean;
  /** Of changed settings. */
  checks: boolean;
}

export function takePart(change: Partial<Part>): void {
  const own = shared<Part & { hasTold: boolean }>('taking part', () => ({
    messages: false,
    metrics: false,
    checks: false,
    hasTold: false,
  }));
  Object.assign(own, change);
  const tell = () => {
    const { messages, metrics, checks } = own;
    bridge()?.tell({ type: 'takes-part', messages, metrics, checks });
  };
  tell();
  if (!own.hasTold) bridge()?.whenBack(tell);
  own.hasTold = true;
}
