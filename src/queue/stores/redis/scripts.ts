// What happens in Redis, each script as a whole. Its clock is the only one that counts.
//
// The keys of a queue begin with the same words, the name of the queue in braces, so that a cluster keeps them on one node:
//   task:<id>   a hash
//   pending     ids in the order in which they begin
//   delayed     ids by the time at which they are due
//   running, completed, failed   ids by the time at which they came there
//   starts      tokens by the time at which a task began, as long as a limit counts them
//   queue       a hash: `paused`, and the last `token` and `number` that were given out
//   changed     the channel that tells of changes

/** The first argument of each script is the beginning of the keys. */
const common = `
local base = KEYS[1]
local queue = base .. 'queue'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function set(state)
  return base .. state
end

local function hash(id)
  return base .. 'task:' .. id
end

-- A write that changes nothing. Who cannot write is told so; and a Redis whose memory is full refuses a script that begins with a command which takes
-- some, but not this one.
local function begin()
  redis.call('ZREM', set('running'), '')
end

local function announce()
  redis.call('PUBLISH', base .. 'changed', '')
end

-- 2^40 tasks of a priority have their own order.
local function makePending(id)
  local priority, number = unpack(redis.call('HMGET', hash(id), 'priority', 'number'))
  redis.call('HSET', hash(id), 'state', 'pending')
  redis.call('ZADD', set('pending'), string.format('%.0f', priority * 1099511627776 + number), id)
end

local function makeDelayed(id, dueAt)
  redis.call('HSET', hash(id), 'state', 'pending', 'dueAt', dueAt)
  redis.call('ZADD', set('delayed'), dueAt, id)
end

local function makeDone(id, state, ...)
  redis.call('HSET', hash(id), 'state', state, 'finishedAt', now, ...)
  redis.call('ZADD', set(state), now, id)
end

local function holds(id, token)
  local state, known = unpack(redis.call('HMGET', hash(id), 'state', 'token'))
  return state == 'running' and known == token
end
`;

/** Of which a script changes so many at most: Redis does one thing at a time. */
export const batch = 1_000;

const claim = `
local function claim(owner, worker, concurrency, max, per)
  max, per = tonumber(max), tonumber(per)
  if redis.call('HGET', queue, 'paused') == '1' or redis.call('ZCARD', set('running')) >= tonumber(concurrency) then return { -1 } end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', set('delayed'), '-inf', now, 'LIMIT', 0, ${batch})) do
    redis.call('ZREM', set('delayed'), id)
    makePending(id)
  end
  if max > 0 then
    redis.call('ZREMRANGEBYSCORE', set('starts'), '-inf', now - per)
    redis.call('ZREMRANGEBYSCORE', set('starts'), '(' .. now, '+inf')
    local start = redis.call('ZREVRANGE', set('starts'), max - 1, max - 1, 'WITHSCORES')[2]
    if start then return { start + per - now } end
  end
  local id = redis.call('ZPOPMIN', set('pending'))[1]
  if not id then
    local dueAt = redis.call('ZRANGE', set('delayed'), 0, 0, 'WITHSCORES')[2]
    return { dueAt and math.max(1, dueAt - now) or -1 }
  end
  redis.call('ZADD', set('running'), now, id)
  local token = redis.call('HINCRBY', queue, 'token', 1)
  redis.call('HSET', hash(id), 'state', 'running', 'token', token, 'beat', 0, 'owner', owner, 'worker', worker, 'startedAt', now)
  if max > 0 then redis.call('ZADD', set('starts'), now, token) end
  return { 0, redis.call('HGETALL', hash(id)) }
end
`;

const finish = `
local function finish(id, token, state, value, delay)
  if not holds(id, token) then return 0 end
  redis.call('ZREM', set('running'), id)
  if state == 'completed' then
    makeDone(id, state, 'result', value)
  elseif state == 'released' then
    redis.call('HSET', hash(id), 'dueAt', now)
    makePending(id)
  else
    redis.call('HINCRBY', hash(id), 'failures', 1)
    redis.call('HSET', hash(id), 'error', value)
    if state == 'failed' then makeDone(id, state) else makeDelayed(id, now + delay) end
  end
  announce()
  return 1
end
`;

export const scripts = {
  /** id, data, delay, priority: whether it was added. */
  add: `
local id, data, delay, priority = unpack(ARGV)
if redis.call('EXISTS', hash(id)) == 1 then return 0 end
local dueAt = now + delay
redis.call('HSET', hash(id), 'id', id, 'data', data, 'priority', priority, 'addedAt', now, 'dueAt', dueAt,
  'number', redis.call('HINCRBY', queue, 'number', 1), 'failures', 0, 'deaths', 0)
if tonumber(delay) > 0 then makeDelayed(id, dueAt) else makePending(id) end
announce()
return 1`,

  /** owner, worker, concurrency, limit.max (0 for none), limit.per: 0 and the task; or in how many milliseconds to look again, -1 for unknown. */
  claim: `${claim}
return claim(unpack(ARGV))`,

  /** id, token, state, result or error, delay: whether the claim holds. */
  finish: `${finish}
return finish(unpack(ARGV))`,

  /** What finish takes, and then what claim takes: what they return. */
  next: `${finish}${claim}
return { finish(unpack(ARGV, 1, 5)), claim(unpack(ARGV, 6)) }`,

  /** id, token, value: whether the claim holds. */
  progress: `
local id, token, value = unpack(ARGV)
if not holds(id, token) then return 0 end
redis.call('HSET', hash(id), 'progress', value)
return 1`,

  /** id and token of each claim: id, token, owner and beat of each running task. */
  renew: `
begin()
for at = 1, #ARGV, 2 do
  if holds(ARGV[at], ARGV[at + 1]) then redis.call('HINCRBY', hash(ARGV[at]), 'beat', 1) end
end
local running = {}
for _, id in ipairs(redis.call('ZRANGE', set('running'), 0, -1)) do
  local token, owner, beat = unpack(redis.call('HMGET', hash(id), 'token', 'owner', 'beat'))
  running[#running + 1] = { id, token, owner, beat }
end
return running`,

  /** deaths with which a task has failed, error of such a task; id, token and beat of each task: how many were put back, or have failed. */
  release: `
local count = 0
for at = 3, #ARGV, 3 do
  local id, token, beat = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  if holds(id, token) and redis.call('HGET', hash(id), 'beat') == beat then
    count = count + 1
    redis.call('ZREM', set('running'), id)
    if redis.call('HINCRBY', hash(id), 'deaths', 1) < tonumber(ARGV[1]) then
      redis.call('HSET', hash(id), 'dueAt', now)
      makePending(id)
    else
      redis.call('HSET', hash(id), 'error', ARGV[2])
      makeDone(id, 'failed')
    end
  end
end
if count > 0 then announce() end
return count`,

  /** state, limit: the tasks. */
  list: `
local state, limit = ARGV[1], tonumber(ARGV[2])
local ids
if state == 'pending' then
  ids = redis.call('ZRANGE', set('pending'), 0, limit - 1)
  if #ids < limit then
    for _, id in ipairs(redis.call('ZRANGE', set('delayed'), 0, limit - #ids - 1)) do ids[#ids + 1] = id end
  end
else
  ids = redis.call('ZREVRANGE', set(state), 0, limit - 1)
end
local tasks = {}
for at, id in ipairs(ids) do tasks[at] = redis.call('HGETALL', hash(id)) end
return tasks`,

  /** Numbers of tasks that are pending, delayed, running, completed and failed, and 1 if the queue is paused. */
  counts: `
local counts = {}
for at, state in ipairs({ 'pending', 'delayed', 'running', 'completed', 'failed' }) do counts[at] = redis.call('ZCARD', set(state)) end
counts[6] = redis.call('HGET', queue, 'paused') == '1' and 1 or 0
return counts`,

  /** id, or empty for all, and until when these failed, or empty for now: how many were put back, and until when. */
  retry: `
local id, till = ARGV[1], ARGV[2] ~= '' and ARGV[2] or now
local ids = redis.call('ZRANGEBYSCORE', set('failed'), '-inf', till, 'LIMIT', 0, ${batch})
if id ~= '' then ids = redis.call('HGET', hash(id), 'state') == 'failed' and { id } or {} end
for _, each in ipairs(ids) do
  redis.call('ZREM', set('failed'), each)
  redis.call('HDEL', hash(each), 'finishedAt')
  redis.call('HSET', hash(each), 'failures', 0, 'deaths', 0, 'dueAt', now)
  makePending(each)
end
if #ids > 0 then announce() end
return { #ids, till }`,

  /** id: whether it was removed. */
  remove: `
local id = ARGV[1]
local state = redis.call('HGET', hash(id), 'state')
if not state or state == 'running' then return 0 end
for _, each in ipairs({ 'pending', 'delayed', 'completed', 'failed' }) do redis.call('ZREM', set(each), id) end
redis.call('DEL', hash(id))
announce()
return 1`,

  /** age: how many were removed. */
  clean: `
local ids = redis.call('ZRANGEBYSCORE', set('completed'), '-inf', now - ARGV[1], 'LIMIT', 0, ${batch})
for _, id in ipairs(ids) do
  redis.call('ZREM', set('completed'), id)
  redis.call('DEL', hash(id))
end
return #ids`,

  /** 1 or 0. */
  pause: `
begin()
redis.call('HSET', queue, 'paused', ARGV[1])
announce()`,
} satisfies Record<string, string>;

export type ScriptName = keyof typeof scripts;

/** What Redis is to run. */
export function textOf(name: ScriptName): string {
  return common + scripts[name];
}
