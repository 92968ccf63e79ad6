<%@ page contentType="text/plain" session="false" %>Hello World
