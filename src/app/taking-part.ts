// Tells each daemon what the app has a use for, so that it sends nothing else.
import { bridge } from './bridge.ts';
import { shared } from './shared.ts';

interface Part {
  messages: boolean;
  metrics: boolean;
}

export function takePart(change: Partial<Part>): void {
  const own = shared<Part & { hasTold: boolean }>('taking part', () => ({
    messages: false,
    metrics: false,
    hasTold: false,
  }));
  Object.assign(own, change);
  const tell = () => void bridge()?.tell({ type: 'takes-part', messages: own.messages, metrics: own.metrics });
  if (own.hasTold) tell();
  else bridge()?.whenGreeted?.(tell);
  own.hasTold = true;
}
