#!/bin/bash
exec sleep 1000
