-- Creates payments as a merchant's server does: each with a new orderId and a random amount.
-- LOAD_TOKEN: access token, or several separated by commas, which are used in turn.
-- LOAD_NUMBER: number of this load in the run, so that no orderId repeats.
-- LOAD_AMOUNTS: how many different amounts there are. None ends in .01 to .09, on which the sandbox would act.
done = function(summary, latency) require('report')(summary, latency) end

local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set('number', threads)
end

local count = 0
local amounts = tonumber(os.getenv('LOAD_AMOUNTS'))
local load = tonumber(os.getenv('LOAD_NUMBER'))
local beginnings, order = {}, nil

function init()
  math.randomseed(load * 1000 + number)
  order = string.format('bench-%d-%d-', load, number)
  for token in os.getenv('LOAD_TOKEN'):gmatch('[^,]+') do
    beginnings[#beginnings + 1] = 'POST /api/v1/merchant/payments HTTP/1.1\r\nHost: ' .. wrk.headers['Host'] ..
      '\r\nAuthorization: Bearer ' .. token ..
      '\r\nContent-Type: application/json\r\nContent-Length: '
  end
end

function request()
  count = count + 1
  local drawn = math.random(0, amounts - 1)
  local body = string.format('{"type":"direct","amount":%d.%02d,"orderId":"%s%d","currency":"rub","method":"sbp"}',
    100 + math.floor(drawn / 90), 10 + drawn % 90, order, count)
  return beginnings[count % #beginnings + 1] .. #body .. '\r\n\r\n' .. body
end
