-- Polls the status of payments chosen at random.
-- LOAD_TOKEN: access token. LOAD_NUMBER: number of this load in the run.
-- LOAD_ORDERS: the number n of orders `poll-1` to `poll-<n>`.
-- LOAD_NEWEST: how many of the last ones are polled; default: all.
-- LOAD_PATH: the path up to the orderId.
done = function(summary, latency) require('report')(summary, latency) end

local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set('number', threads)
end

local orders = tonumber(os.getenv('LOAD_ORDERS'))
local oldest = orders - tonumber(os.getenv('LOAD_NEWEST') or orders) + 1
local head, tail

function init()
  math.randomseed(tonumber(os.getenv('LOAD_NUMBER')) * 1000 + number)
  head = 'GET ' .. os.getenv('LOAD_PATH') .. 'poll-'
  tail = '/status HTTP/1.1\r\nHost: ' .. wrk.headers['Host'] ..
    '\r\nAuthorization: Bearer ' .. os.getenv('LOAD_TOKEN') .. '\r\n\r\n'
end

function request()
  return head .. math.random(oldest, orders) .. tail
end
